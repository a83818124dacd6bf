/** IP networks that tokens and logins are bound to. */
import { invalid } from '../base/errors.ts'

interface Network {
  readonly address: bigint
  readonly bits: number
  readonly prefix: number
}

/** No address or network is longer, so a longer string is refused without parsing it. */
const MAX_CIDR_CHARACTERS = 64

/** @throws KernelError 400 if the string is neither an address nor a network such as `10.0.0.0/8` or `2001:db8::/32`. */
export function checkCidr(text: string, name: string): void {
  if (!parseNetwork(text)) throw invalid(`${name}: must contain addresses or networks such as 10.0.0.0/8 or 2001:db8::/32`)
}

/** Whether an address is in one of the networks. A missing or malformed address is in no network. */
export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  const asked = address === undefined ? undefined : parseAddress(address)
  if (!asked) return false
  return networks.some((text) => {
    const network = parseNetwork(text)
    if (!network || network.bits !== asked.bits) return false
    const shift = BigInt(network.bits - network.prefix)
    return network.address >> shift === asked.address >> shift
  })
}

/** Whether a string is the address of a single host. */
export const isAddress = (text: string): boolean => parseAddress(text) !== undefined

function parseNetwork(text: string): Network | undefined {
  const [address = '', length, more] = text.split('/')
  const parsed = parseAddress(address)
  if (!parsed || more !== undefined) return undefined
  if (length === undefined) return { ...parsed, prefix: parsed.bits }
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : -1
  return prefix >= 0 && prefix <= parsed.bits ? { ...parsed, prefix } : undefined
}

function parseAddress(text: string): { readonly address: bigint; readonly bits: number } | undefined {
  if (text.length > MAX_CIDR_CHARACTERS) return undefined
  // An IPv6 socket reports the IPv4 address 10.0.0.1 as `::ffff:10.0.0.1`. Treat it as an IPv4 address.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  const four = parseIpv4(mapped ?? text)
  if (four !== undefined) return { address: four, bits: 32 }
  const six = parseIpv6(text)
  return six === undefined ? undefined : { address: six, bits: 128 }
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined
  return parts.reduce((address, part) => (address << 8n) | BigInt(part), 0n)
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half) => groupsOf(half))
  if (!head || (halves.length === 2 && !tail)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array<number>(Math.max(0, missing)).fill(0), ...(tail ?? [])]
  return groups.reduce((address, group) => (address << 16n) | BigInt(group), 0n)
}

/** The 16-bit groups on one side of `::`. The last two groups may be written as an IPv4 address. */
function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    const four = index === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined
    if (four !== undefined) groups.push(Number(four >> 16n), Number(four & 0xffffn))
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}
