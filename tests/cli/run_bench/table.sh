lgkt bench --horizon 50 --repeats 1 | tr -s ' ' | sed 's/ [ 0-9.-]*$//'
