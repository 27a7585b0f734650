// Tokens as they are by time: the later one is higher.
export const EARLIER = 1_795_385_101_668_533;
export const LATER = 1_795_385_102_693_243;
