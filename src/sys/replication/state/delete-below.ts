/** Deletes all keys below a prefix, in commits of limited size with pauses in between. */
import type { Op } from '../../../core/storage/port.ts'
import type { CommitOptions } from '../../../core/transaction/committer.ts'
import type { Host } from '../../../core/transaction/host.ts'

const KEYS_PER_COMMIT = 100

export interface DeleteOptions {
  /** A key below the prefix that must not be deleted. */
  readonly keep?: string
  /** Operations that are added to every commit, such as checks that the role is unchanged. */
  readonly also?: readonly Op[]
  readonly manner?: CommitOptions
}

/** Deletes the keys. Returns false if a commit conflicted. The keys that were not deleted before the conflict then still exist. */
export async function deleteBelow({ store, clock, env }: Host, prefix: string, clearing: DeleteOptions = {}): Promise<boolean> {
  const { keep, also = [], manner } = clearing
  for (;;) {
    env.closing.throwIfAborted()
    const names = await store.list(prefix, { limit: KEYS_PER_COMMIT })
    const keys = names.map((name) => prefix + name).filter((key) => key !== keep)
    if (keys.length === 0) return true
    const { ok } = await store.commit([...keys.map((key) => ({ op: 'del', key }) as const), ...also], manner)
    if (!ok) return false
    await clock.sleep(0)
  }
}
