# what the words of the service want
told() {
    lgkt serve "$@" 2>&1
    echo "exit $?"
}
told
told token
told token add --data nowhere
told token list --data nowhere
told verify
told verify nothing.db
told export nothing.db --format xml
told backup nothing.db
told frob
told --data new --listen somewhere
told --data new --reserve 3Q
told --data new --connections 0
