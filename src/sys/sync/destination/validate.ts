/** Validates the configuration of a destination without calling the external store. */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { SyncConfig, SyncDestination, SyncFieldError } from '../port.ts'
import { STORE_TYPES } from './store-types.ts'

/** The maximum length of a parameter. The longest real value, the credentials of a Google service account, has about 3,000 characters. */
const MAX_PARAMETER_CHARACTERS = 32_768

/**
 * @throws KernelError 400 if a parameter is too long or missing, or if the adapter refuses it; 502 if the adapter fails to validate the
 * parameters.
 */
export function validateConfig(store: SyncDestination, config: SyncConfig): void {
  for (const [field, value] of Object.entries(config))
    if (typeof value === 'string' && value.length > MAX_PARAMETER_CHARACTERS)
      throw invalid(`${field}: must have at most ${MAX_PARAMETER_CHARACTERS} characters`)
  for (const field of STORE_TYPES[store.type].required) {
    const value = config[field]
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      throw invalid(`${field}: is required`)
  }
  const [error] = adapterErrors(store, config)
  if (error) throw invalid(`${error.field}: ${error.rule}`)
}

const MAX_RULE_CHARACTERS = 240

function adapterErrors(store: SyncDestination, config: SyncConfig): readonly SyncFieldError[] {
  let said: unknown
  try {
    said = store.validate(config)
    // `validate` must not return a promise. If it does, attach a handler, because an unhandled rejection would end the process.
    if (said instanceof Promise) said.catch(() => undefined)
  } catch {
    said = undefined
  }
  if (!Array.isArray(said)) throw new KernelError('ERR_UPSTREAM', `ports.sync[${JSON.stringify(store.type)}]: validate failed`)
  return said.map(({ field, rule }: SyncFieldError) => ({
    field: String(field).slice(0, MAX_RULE_CHARACTERS),
    rule: String(rule).slice(0, MAX_RULE_CHARACTERS),
  }))
}

const ENVIRONMENTS: readonly string[] = ['development', 'preview', 'production']

/**
 * Returns the given environments without duplicates, in a fixed order.
 * @throws KernelError 400 if the list is empty or contains an unknown environment.
 */
export function environmentsIn(given: readonly string[]): readonly string[] {
  if (given.length === 0 || given.some((each) => !ENVIRONMENTS.includes(each)))
    throw invalid(`deployment_environments: must contain one or more of ${ENVIRONMENTS.join(', ')}, and nothing else`)
  return ENVIRONMENTS.filter((each) => given.includes(each))
}

const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u

/** @throws KernelError 400 if the external store does not support these tags. */
export function validateTags(store: SyncDestination, tags: Readonly<Record<string, string>>, mark: string): void {
  const names = Object.keys(tags)
  if (names.length === 0) return
  const rules = store.rules.tags ? STORE_TYPES[store.type].tags : undefined
  if (!rules) throw invalid(`custom_tags: must be empty; a store of type ${store.type} has no tags`)
  if (names.length > rules.most) throw invalid(`custom_tags: must have at most ${rules.most} tags`)
  for (const name of names) {
    const value = tags[name] as string
    if (name === '' || name.length > rules.name) throw invalid(`custom_tags: names must have 1 to ${rules.name} characters`)
    if (value.length > rules.value) throw invalid(`custom_tags: values must have at most ${rules.value} characters`)
    if (!PRINTABLE.test(name) || !PRINTABLE.test(value))
      throw invalid('custom_tags: names and values must consist of printable characters')
    // Compare without regard to case and punctuation: in some stores, a tag with another spelling could replace the ownership mark.
    if (folded(name) === folded(mark))
      throw invalid('custom_tags: must not contain the tag with which the kernel marks pushed secrets')
  }
}

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** Returns the name of the tag that marks every pushed secret. The value of the tag identifies the association that pushed the secret. */
export const ownershipMarkOf = (prefix: string): string => (prefix === 'vault' ? 'hashicorp:vault' : `${prefix}:sync`)
