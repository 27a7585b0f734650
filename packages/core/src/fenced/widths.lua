-- As lock/widths: with the counter, and how tokens are made.

local keysEach, argsEach = 5, 8
