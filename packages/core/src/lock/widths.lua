-- Included by scripts that ask for several locks: how many keys and arguments each of them has.

local keysEach, argsEach = 4, 7
