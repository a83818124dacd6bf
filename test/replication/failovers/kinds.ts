/** What both kinds of replication do, asked in one way. */
import type { Kernel } from '../../../src/index.ts'

type Serving = Kernel['replication']

/** The methods that both have, taken without what only one of them has. */
export type RoleMethods = Pick<
  Serving,
  | 'readStatus'
  | 'enablePrimary'
  | 'demotePrimary'
  | 'disablePrimary'
  | 'createSecondaryToken'
  | 'revokeSecondary'
  | 'generatePublicKey'
  | 'enableSecondary'
  | 'promote'
  | 'disableSecondary'
  | 'updatePrimary'
  | 'readLostWrites'
  | 'forgetLostWrites'
  | 'exportLost'
>

export interface Kind {
  readonly name: 'performance' | 'dr'
  /** In front of the paths of its operations. */
  readonly base: string
  /** In front of the keys of what was given up. */
  readonly quarantine: string
  of(view: Pick<Kernel, 'replication'>): RoleMethods
}

export const PERFORMANCE: Kind = {
  name: 'performance',
  base: 'sys/replication/performance',
  quarantine: 'i/replication/quarantine/',
  of: ({ replication }) => replication,
}

export const DR: Kind = {
  name: 'dr',
  base: 'sys/replication/dr',
  quarantine: 'i/replication/dr/quarantine/',
  of: ({ replication }) => replication.dr,
}

export const KINDS: readonly Kind[] = [PERFORMANCE, DR]

/** An activation token of a primary. */
export async function tokenOf(kind: Kind, primary: Kernel, id: string): Promise<string> {
  const { wrap_info } = await kind.of(primary).createSecondaryToken({ id })
  return wrap_info?.token ?? ''
}

/** @throws the first failure of a tick. */
export async function ticked(kernel: Kernel): Promise<void> {
  const { failed } = await kernel.tick()
  if (failed.length > 0) throw failed[0]?.error
}

export const rootOf = async (kind: Kind, kernel: Kernel): Promise<string | undefined> =>
  (await kind.of(kernel).readStatus()).merkle_root
