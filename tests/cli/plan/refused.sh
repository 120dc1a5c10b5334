refused plan --env trading --horizon 10
refused plan --env riverswin --horizon 10
refused plan --env riverswim:states=2 --horizon 10
refused plan --env model --horizon 10
refused plan --env model:file=nothing.json --horizon 10
