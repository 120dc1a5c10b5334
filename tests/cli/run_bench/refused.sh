refused bench --env riverswin
refused bench --learner lg1tt
refused bench --repeats 0
refused bench --env trading --learner optimal
