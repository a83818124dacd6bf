/**
 * The names and addresses of hosts.
 */
import { isAddress } from '../../../core/access/cidr.ts'

const LONGEST_NAME = 253

/** One that fails does so at once: no label has two ways to match. */
const LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/

/** Labels of letters, digits, `-` and `_` with periods between them; one at the end is allowed. No wildcard. */
export function isDnsName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return name.length <= LONGEST_NAME && name.split('.').every((label) => LABEL.test(label))
}

export const isHost = (text: string): boolean => isAddress(text) || isDnsName(text)
