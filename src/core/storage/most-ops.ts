/**
 * How much one commit of the kernel may be.
 */

/**
 * The most ops of a commit that an operation, a job or any other part of the kernel makes, whatever the storage takes. The rest of the 128
 * that every storage takes is for what the store adds to it.
 */
export const MOST_OPS = 120
