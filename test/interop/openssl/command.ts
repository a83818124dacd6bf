/**
 * Whether the openssl command is installed and new enough: pkeyutl reads a message (`-rawin`) since OpenSSL 3.0, and Ed25519 needs that.
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

/** The title has the reason if the tests are skipped. */
export const openSslTitle = (what: string): string =>
  OPENSSL
    ? `${what} with the openssl command (${version})`
    : `${what} with the openssl command (skipped: found ${version ?? 'none'}; 3.0 or later is needed)`
