/**
 * Names of users.
 */

import { invalid } from '../../../core/base/errors.ts'
import { texts } from '../../../core/base/texts.ts'
import type { Caller } from '../../../core/contract/caller.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { compileTemplate } from '../../../core/template/index.ts'
import type { Granted } from '../allowed.ts'
import type { DatabaseConnection } from '../port.ts'

/** What stands in statements within quotes, and in leases, logs and lists. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNFIT = /["'`\\\u0000-\u001f\u007f-\u009f]/

export const displayName = (caller: Caller): string => (caller.kind === 'token' ? caller.token.display_name : caller.kind)

/** @throws KernelError 400 for a template that fails, and a name that no statement could safely hold. */
export function usernameFor(tx: Tx, role: string, { connection, plugin }: Granted): string {
  const own = connection.details['username_template']
  const template = typeof own === 'string' && own !== '' ? own : plugin.username_template
  const username = compileTemplate(template, 'username_template').run({
    fields: { DisplayName: displayName(tx.call.caller), RoleName: role },
    now: tx.now,
    entropy: tx.env.entropy,
  })
  if (username === '') throw invalid('username_template: it makes an empty name')
  if (UNFIT.test(username)) throw invalid('username_template: the name it makes holds quotes, backslashes or control characters')
  return username
}

/** @throws KernelError 400 for a name that the database would cut. */
export function checkLength(username: string, { longest_name: { count, unit } }: DatabaseConnection): void {
  const length = unit === 'bytes' ? texts.byteLength(username) : [...username].length
  if (length > count) throw invalid(`username_template: the name it makes has ${length} ${unit}; this database keeps ${count}`)
}
