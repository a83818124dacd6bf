/**
 * The names and addresses of hosts.
 */
import { isAddress } from '../../../core/access/cidr.ts'
import { isLongerThanBytes } from '../meta.ts'

const MAX_DNS_NAME_CHARACTERS = 253

const MAX_DNS_LABEL_CHARACTERS = 63

/** One that fails does so at once: no label has two ways to match. */
const LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/

/** Labels of letters, digits, `-` and `_` with periods between them; one at the end is allowed. No wildcard. */
export function isDnsName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return name.length <= MAX_DNS_NAME_CHARACTERS && name.split('.').every((label) => LABEL.test(label))
}

export const isAddressOrDnsName = (text: string): boolean => isAddress(text) || isDnsName(text)

/** A DNS name whose leftmost label may be the wildcard, for all names below the rest. */
export const isDnsPattern = (text: string): boolean => isDnsName(text.startsWith('*.') ? text.slice(2) : text)

/** What DNS could hold: the labels have a length and no more than that, so wildcards, spaces and addresses are among them. */
export function isCertificateName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return (
    !isLongerThanBytes(name, MAX_DNS_NAME_CHARACTERS) &&
    name.split('.').every((label) => label !== '' && !isLongerThanBytes(label, MAX_DNS_LABEL_CHARACTERS))
  )
}
