/**
 * The maximum number of ops with which any part of the kernel calls `Committer`, for every storage. Every storage allows at least 128 ops
 * per commit. The remaining 8 are for ops that `Committer` adds.
 */
export const MAX_COMMIT_OPS = 120
