/**
 * The kinds of external stores (spec document 2, "Secret sync").
 */
export const SYNC_TYPES = ['cloud-a-sm', 'cloud-b-kv', 'cloud-c-sm', 'repohost', 'webhost-project'] as const
export type SyncType = (typeof SYNC_TYPES)[number]
