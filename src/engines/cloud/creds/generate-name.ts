import { KernelError } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { compileTemplate } from '../../../core/template/index.ts'
import { displayNameOfCaller, templateContext, USERNAME_TEMPLATE } from '../../credentials/name-template.ts'
import { requireRoot } from '../cloud-calls.ts'
import { cleanName, defaultTemplate, EMPTY_FIELDS, MAX_NAME_CHARACTERS, type NameType } from '../username.ts'

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
  const template = requireRoot(tx).username_template || defaultTemplate(tx.env.ciphertextPrefix)
  const named = { DisplayName: cleanName(displayNameOfCaller(tx.call.caller)), PolicyName: cleanName(role) }
  const input = { fields: { ...EMPTY_FIELDS, ...(type === 'IAM' && named), Type: type }, ...templateContext(tx) }
  const make = (): string => {
    const name = compileTemplate(template, USERNAME_TEMPLATE).run(input)
    const most = MAX_NAME_CHARACTERS[type]
    if (name.length <= most) return name
    // Vault also answers 500.
    const rule = `must not produce a name of more than ${most} characters for the type ${type}`
    throw new KernelError('ERR_INTERNAL', `${USERNAME_TEMPLATE}: ${rule}`)
  }
  return tx.once('name', async () => {
    const name = make()
    return { name, unique: make() !== name }
  })
}
