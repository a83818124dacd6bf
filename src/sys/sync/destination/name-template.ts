/** Compiles and renders the templates from which the names of external secrets are made. */

import type { Entropy } from '../../../core/base/entropy.ts'
import { invalid } from '../../../core/base/errors.ts'
import { type CompiledTemplate, compileTemplate, type TemplateFields } from '../../../core/template/index.ts'
import type { SyncGranularity } from '../port.ts'
import type { SyncType } from '../types.ts'

const PARAMETER = 'secret_name_template'

const KEY = 'SecretKey'

const PLACEHOLDERS: readonly string[] = [
  'DestinationType',
  'DestinationName',
  'NamespacePath',
  'NamespaceBaseName',
  'NamespaceID',
  'MountPath',
  'MountBaseName',
  'MountAccessor',
  'SecretPath',
  'SecretBaseName',
  KEY,
]

/**
 * Template functions that must not be used: they return a different string each time, but the name of an external secret must not change.
 */
const NONDETERMINISTIC: readonly string[] = ['random', 'uuid', 'timestamp', 'unix_time', 'unix_time_millis']

/** External stores in which secrets are variables, so names may contain only letters, digits and underscores. */
const VARIABLE_STORES: readonly SyncType[] = ['repohost', 'webhost-project']

/** @param prefix The prefix that the kernel's naming option specifies. It consists of letters, digits, periods, dashes and underscores. */
export function defaultExternalNameTemplate(type: SyncType, granularity: SyncGranularity, prefix: string): string {
  if (VARIABLE_STORES.includes(type)) {
    const key = granularity === 'secret-key' ? '_{{ .SecretKey | uppercase }}' : ''
    return `${prefix.toUpperCase()}_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}${key}`
  }
  return `${prefix}/{{ .MountAccessor }}/{{ .SecretPath }}${granularity === 'secret-key' ? '/{{ .SecretKey }}' : ''}`
}

/**
 * @throws KernelError 400 if the template is invalid, uses unknown fields or nondeterministic functions, or does not match the granularity.
 */
export function parseExternalNameTemplate(text: string, granularity: SyncGranularity): CompiledTemplate {
  const template = compileTemplate(text, PARAMETER)
  const { fields, functions } = template.named
  for (const name of fields) if (!PLACEHOLDERS.includes(name)) throw invalid(`${PARAMETER}: must use only known fields`)
  for (const name of functions)
    if (NONDETERMINISTIC.includes(name))
      throw invalid(`${PARAMETER}: must not use ${name}, because the name of an external secret must not change`)
  if (granularity === 'secret-path' && fields.has(KEY))
    throw invalid(`${PARAMETER}: must not use ${KEY} with granularity secret-path`)
  if (granularity === 'secret-key' && !fields.has(KEY))
    throw invalid(
      `${PARAMETER}: must use ${KEY} with granularity secret-key, because otherwise all keys of a secret have the same name`,
    )
  return template
}

const NO_ENTROPY: Entropy = {
  bytes: () => {
    throw invalid(`${PARAMETER}: must not use random values`)
  },
}

/** @throws KernelError 400 if the template uses random values or cannot be rendered. */
export const renderExternalName = (template: CompiledTemplate, fields: TemplateFields): string =>
  template.run({ fields, now: 0, entropy: NO_ENTROPY })
