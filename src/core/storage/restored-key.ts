/**
 * The storage key of a record that marks a store as restored from a backup of a replicated cluster. The mark is needed because other
 * clusters may have applied commits that are newer than the backup. The record is deleted when the store is opened. The record is in
 * plaintext, because a restore has no encryption key.
 */
export const RESTORED_KEY = 'i/core/restored'
