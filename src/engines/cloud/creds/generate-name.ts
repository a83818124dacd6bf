import type { Tx } from '../../../core/contract/tx.ts'
import { requireRoot } from '../cloud-calls.ts'
import { defaultTemplate, makeCloudName, type NameType } from '../username.ts'

export interface GeneratedName {
  readonly name: string
  /** Whether the template produces a different name each time. */
  readonly unique: boolean
}

/**
 * Generates the name of a user or session with the configured template. All runs of the transaction use the same name, because the first
 * run may already have called the cloud with the name.
 * @throws KernelError 400 if the root configuration does not exist or the template fails, 500 if the name is too long.
 */
export function generateName(tx: Tx, type: NameType, role: string): GeneratedName {
  const { username_template } = requireRoot(tx)
  const { env, now } = tx
  const { caller } = tx.call
  const context = { now, entropy: env.entropy }
  const make = (): string =>
    makeCloudName(username_template || defaultTemplate(env.ciphertextPrefix), { type, caller, role }, context)
  return tx.once('name', async () => {
    const name = make()
    return { name, unique: make() !== name }
  })
}
