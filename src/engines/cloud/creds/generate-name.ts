import type { Tx } from '../../../core/contract/tx.ts'
import { requireRoot } from '../cloud-calls.ts'
import { defaultTemplate, makeCloudName, type NameType } from '../username.ts'

export interface GeneratedName {
  readonly name: string
  /** Whether the template produces a different name each time. */
  readonly unique: boolean
}

/**
 * Generates a name with the configured template. All runs of the transaction use the same name, since the cloud is called with it.
 * @throws KernelError 400 without a root configuration, or if the template fails; 500 if the name is too long.
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
