import { isAddress } from '../../../core/access/cidr.ts'
import { isLongerThanBytes } from '../meta.ts'

const MAX_DNS_NAME_CHARACTERS = 253

const MAX_DNS_LABEL_CHARACTERS = 63

/** The expression cannot backtrack, because no label matches in two ways. */
const LABEL = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/

/** Labels of letters, digits, `-` and `_`, separated by periods; a trailing period is allowed. No wildcard. */
export function isDnsName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return name.length <= MAX_DNS_NAME_CHARACTERS && name.split('.').every((label) => LABEL.test(label))
}

export const isAddressOrDnsName = (text: string): boolean => isAddress(text) || isDnsName(text)

/** A DNS name whose first label may be the wildcard `*`. */
export const isDnsPattern = (text: string): boolean => isDnsName(text.startsWith('*.') ? text.slice(2) : text)

/** Only the lengths of the labels and of the name are checked, with the limits of DNS. Wildcards, spaces and addresses are accepted. */
export function isCertificateName(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return (
    !isLongerThanBytes(name, MAX_DNS_NAME_CHARACTERS) &&
    name.split('.').every((label) => label !== '' && !isLongerThanBytes(label, MAX_DNS_LABEL_CHARACTERS))
  )
}
