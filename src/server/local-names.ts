/** Which names of a server on the loopback interface a web page cannot have. */
import { isIP } from 'node:net'

/** Resolved by the machine itself, or by the DNS of a container engine. */
const LOCAL_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
])

/**
 * Whether a header `Host` names an IP address or a local name. Any other name may be that of a web page, whose DNS resolves it to the loopback
 * interface (DNS rebinding): the browser then lets that page read the answers of the server. A header that is missing is local, because
 * browsers always send it.
 */
export function isLocalHost(header: string | undefined): boolean {
  if (header === undefined) return true
  const name = header
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  return isIP(name) !== 0 || LOCAL_NAMES.has(name) || name.endsWith('.localhost')
}
