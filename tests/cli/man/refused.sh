. "$COMMON"
refused man rum
refused man run list
refused man run --out here
touch file
refused man --out file
ls
