# where states are records learners get these; others say that they need states, and what to take
for env in pendulum contextual:categories=3 'noisy:of=(stock:view=record),features=1' 'scaled:by=2,of=(cartpole:view=record)'; do
    lgkt run --env "$env" --learner random --learner auto --learner linucb --learner sarsa-tiles --horizon 100 --replicates 2 --json >out.json
    python3 -c 'import json; print([entry["spec"].split(":")[0] for entry in json.load(open("out.json"))["learners"]])'
done
refused run --env pendulum --learner lg1t --horizon 10
refused run --env pendulum --learner optimal --horizon 10
refused run --env cartpole --learner linucb --horizon 10
# seen through bins the same world has states
lgkt run --env pendulum:view=grid,bins=3 --learner lg1t --horizon 100 --replicates 2 --json >out.json && echo states
# the same numbers whatever the number of threads
lgkt run --env glucose --learner auto --horizon 300 --replicates 4 --jobs 1 --json | grep '"reward"' >one.txt
lgkt run --env glucose --learner auto --horizon 300 --replicates 4 --jobs 3 --json | grep '"reward"' | cmp - one.txt && echo same
