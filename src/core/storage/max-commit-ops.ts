/**
 * Maximum ops per commit of any part of the kernel, whatever the storage allows. Every storage allows at least 128; the rest is for ops
 * that `Committer` adds.
 */
export const MAX_COMMIT_OPS = 120
