import { Pace, type Steps } from '../../../core/base/steps.ts'

export interface RouteHosts {
  readonly names: ReadonlySet<string>
  /**
   * For each name, all its suffixes from a dot on: for `a.example.com`, `.example.com` and `.com`. A listener with the wildcard
   * `*.example.com` matches if `.example.com` is in the set.
   */
  readonly suffixes: ReadonlySet<string>
}

const LABEL_MICROSECONDS = 0.5

/** Undefined means all hosts, because the route names none. */
export function* hostsOf(hostnames: readonly string[]): Steps<RouteHosts | undefined> {
  if (hostnames.length === 0) return undefined
  const pace = new Pace()
  const names = new Set<string>()
  const suffixes = new Set<string>()
  for (const hostname of hostnames) {
    const name = hostname.toLowerCase()
    names.add(name)
    for (let dot = name.indexOf('.', 1); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      suffixes.add(name.slice(dot))
      if (pace.spend(LABEL_MICROSECONDS)) yield
    }
  }
  return { names, suffixes }
}

/** Whether the hostname of a listener equals one of these hosts, or is a wildcard that matches one of them. */
export function matchesHost(hostname: string | undefined, hosts: RouteHosts | undefined): boolean {
  const listens = hostname?.toLowerCase() || '*'
  if (listens === '*' || !hosts) return true
  return listens.startsWith('*.') ? hosts.suffixes.has(listens.slice(1)) : hosts.names.has(listens)
}
