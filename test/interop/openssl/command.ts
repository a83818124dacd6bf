/**
 * Whether the openssl command is there, and new enough: pkeyutl reads a message (`-rawin`) since OpenSSL 3.0, and Ed25519 needs that.
 */
import { execFileSync } from 'node:child_process'

const version = (() => {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
})()

export const OPENSSL = version !== undefined && /^OpenSSL (3|[4-9])/.test(version)

/** A title that says why what it stands for is skipped, if it is. */
export const openSslTitle = (what: string): string =>
  OPENSSL
    ? `${what} and the openssl command (${version})`
    : `${what} and the openssl command: skipped, ${version ?? 'there is none'}; 3.0 or later is needed`
