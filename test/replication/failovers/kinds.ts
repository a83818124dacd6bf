/** A common interface of both kinds of replication. */
import type { Kernel } from '../../../src/index.ts'

type Serving = Kernel['replication']

/** The methods of both kinds. */
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
  /** The prefix of the operations' paths. */
  readonly base: string
  /** The prefix of the keys of lost writes. */
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

/** @throws the first failure of the tick. */
export async function ticked(kernel: Kernel): Promise<void> {
  const { failed } = await kernel.tick()
  if (failed.length > 0) throw failed[0]?.error
}

export const rootOf = async (kind: Kind, kernel: Kernel): Promise<string | undefined> =>
  (await kind.of(kernel).readStatus()).merkle_root
