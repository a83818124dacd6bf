/**
 * The maximum number of ops with which any part of the kernel calls `Committer`, for every storage. Every storage allows at least 128 ops
 * per commit; the difference is for ops that `Committer` adds.
 */
export const MAX_COMMIT_OPS = 120
