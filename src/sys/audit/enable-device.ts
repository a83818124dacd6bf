/** POST sys/audit/:path, as in Vault, for the types of devices that the application allows. */
import { AUDIT } from '../../core/audit/audit.ts'
import { DEVICE, DEVICE_SECRET, newAuditSecret, SECRET_VERSION } from '../../core/audit/records.ts'
import { alreadyExists, invalid } from '../../core/base/errors.ts'
import { base62 } from '../../core/base/identifiers.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { DEVICE_PATH, deviceName } from './device-path.ts'

/** Options for the format of entries. All other options are passed to the factory. */
const FLAGS = ['log_raw', 'hmac_accessor', 'elide_list_responses']

/** @throws KernelError 400 */
function checkOptions(options: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const checked: Record<string, string> = { ...options }
  for (const flag of FLAGS) {
    const value = options[flag]
    if (value === undefined) continue
    // Booleans arrive as strings.
    if (!['true', 'false', '1', '0'].includes(value)) throw invalid(`options.${flag}: must be true or false`)
    checked[flag] = String(value === 'true' || value === '1')
  }
  const { format } = options
  if (format !== undefined && format !== 'json') throw invalid('options.format: must be json')
  return checked
}

/**
 * @throws KernelError 400 if the application does not allow audit devices of the type, if an option is malformed, if the sink cannot be
 *   opened, or if the name is in use.
 */
export const enableDevice = operation({
  kind: 'write',
  verb: 'POST',
  path: '/audit/+path',
  sudo: true,
  rootOnly: true,
  summary:
    'Enables an audit device: from now on, all requests and responses are also written to its sink. The type must be one that the application allows.',
  fields: {
    path: DEVICE_PATH,
    type: f.text('The type, such as `file`: a name in `ports.audit.factories`.').needed(''),
    description: f.text('For people.').default(''),
    options: f
      .pairs(
        'Options for the type, such as `file_path`. Every type also has `log_raw`, `hmac_accessor` and `elide_list_responses`.',
      )
      .default({}),
    local: f.bool('Not replicated.').default(false),
  },
  returns: {},
  run: (tx, { path, type, description, options, local }) => {
    const audit = AUDIT.of(tx)
    const name = deviceName(path)
    if (!audit.opener.makes(type))
      throw invalid(
        `type: audit devices of type "${type.slice(0, 40)}" cannot be enabled by request; pass the sink as ports.audit.sinks, or allow the type in ports.audit.factories`,
      )
    if (audit.given.has(name)) throw alreadyExists(`path: ${name}/ is a sink of the application`)
    const asked = { path: `${name}/`, options: checkOptions(options) }
    if (tx.get(DEVICE, name)) throw alreadyExists(`path: ${name}/ is already enabled`)
    tx.once('probe', () => audit.opener.probe(type, asked))
    const id = base62(tx.env.entropy, 16)
    tx.put(DEVICE, name, { id, type, description, options: asked.options, local })
    tx.putSecret(DEVICE_SECRET, id, SECRET_VERSION, newAuditSecret(tx.env.entropy))
    tx.event('audit.enabled', { path: `${name}/` })
    return undefined
  },
})
