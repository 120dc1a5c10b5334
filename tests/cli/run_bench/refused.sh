refused bench --env riverswin
refused bench --learner lg1tt
refused bench --repeats 0
refused bench --env trading --learner optimal
# where there are several environments, a learner is skipped where it does not fit
refused bench --env pendulum --learner lg1t
refused bench --env pendulum --env stock:view=record --learner lg1t --learner random --horizon 50 --repeats 1
lgkt bench --env pendulum --env riverswim --learner lg1t --learner linucb --horizon 50 --repeats 1 | grep -e ' - ' | tr -s ' '
