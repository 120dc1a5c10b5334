refused list lg3t
refused list riverswin
refused list nothing-like-it
refused list learner
