# pages are files by their names; a page alone goes to stdout
lgkt man --out pages/man1 && ls pages/man1
lgkt man merge | cmp - pages/man1/lgkt-merge.1 && lgkt man merge
