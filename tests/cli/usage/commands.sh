refused plam
refused lsit
refused frobnicate
refused --frob
refused ''
refused help plna
