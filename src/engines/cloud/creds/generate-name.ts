/**
 * A name for what is about to be made, by the template of the configuration.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { requireRoot } from '../cloud-calls.ts'
import { defaultTemplate, makeCloudName, type NameType } from '../username.ts'

export interface GeneratedName {
  readonly name: string
  /** The template gives another name each time. */
  readonly unique: boolean
}

/**
 * One for all runs, since it is what is asked for.
 * @throws KernelError 400 without a configuration, and for a template that fails; 500 for a name that is too long.
 */
export function generateName(tx: Tx, type: NameType, role: string): GeneratedName {
  const { username_template } = requireRoot(tx)
  const { env, now } = tx
  const { caller } = tx.call
  const chance = { now, entropy: env.entropy }
  const make = (): string =>
    makeCloudName(username_template || defaultTemplate(env.ciphertextPrefix), { type, caller, role }, chance)
  return tx.once('name', async () => {
    const name = make()
    return { name, unique: make() !== name }
  })
}
