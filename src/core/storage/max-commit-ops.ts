/**
 * The maximum number of ops that a part of the kernel may pass to `Committer` for one commit, unless the commit applies records of a
 * primary. Every storage allows at least 128 ops per commit; the other 8 are for ops that `Committer` adds.
 */
export const MAX_COMMIT_OPS = 120
