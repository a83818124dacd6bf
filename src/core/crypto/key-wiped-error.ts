/** Thrown by every call of a key object after `wipe()`. Such a call is a programming error, so the class extends TypeError. */
export const keyWipedError = (): TypeError => new TypeError('this key has been wiped')
