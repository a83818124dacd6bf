/** Declares the ports of the kernel, and checks that the given ports have all required methods. */
import type { Engine } from '../contract/engine.ts'
import { isBytes, isPortMap, isPortObject, type Pgp, type PortRules, type Ports, portMethods } from '../contract/ports.ts'

const PGP = /* @__PURE__ */ portMethods<Pgp>({
  encrypt: { signalAt: 3, answers: isBytes },
  fingerprint: { signalAt: 1, answers: (answer) => typeof answer === 'string' },
})

/** The ports of the kernel and of the engines, by name. */
export const portsOf = (engines: readonly Pick<Engine, 'ports'>[]): Readonly<Record<string, PortRules>> =>
  Object.assign({ pgp: PGP }, ...engines.map(({ ports }) => ports ?? {}))

/** The functions that validate ports, for ports that validate themselves. */
export type PortChecks = Readonly<Record<string, (port: never) => void>>

/** The functions with which engines validate their own ports, by the name of the port. */
export const portChecksOf = (engines: readonly Pick<Engine, 'portChecks'>[]): PortChecks =>
  Object.assign({}, ...engines.map(({ portChecks }) => portChecks ?? {}))

/** @throws TypeError for an unknown port, or a port that lacks a method. */
export function checkPorts(ports: Ports, known: Readonly<Record<string, PortRules>>, checks: PortChecks): void {
  if (typeof ports !== 'object' || ports === null) throw new TypeError('createKernel: ports must be an object')
  for (const [name, given] of Object.entries(ports)) {
    if (given === undefined || Object.hasOwn(checks, name)) continue
    if (name === 'audit') throw new TypeError('createKernel: ports.audit: needs the part audit() in the option sys')
    const rules = Object.hasOwn(known, name) ? known[name] : undefined
    if (!rules) throw new TypeError(`createKernel: unknown port ${name}`)
    if (!isPortMap(rules)) checkMethods(`ports.${name}`, given, isPortObject(rules) ? rules.own : Object.keys(rules))
    else if (typeof given !== 'object' || given === null) throw new TypeError(`createKernel: ports.${name} must be an object`)
    else for (const [key, each] of Object.entries(given)) checkMethods(`ports.${name}[${JSON.stringify(key)}]`, each, rules.each)
  }
  for (const [name, check] of Object.entries(checks)) {
    const given = ports[name as keyof Ports]
    if (given !== undefined) check(given as never)
  }
}

function checkMethods(what: string, given: unknown, methods: readonly string[]): void {
  for (const method of methods)
    if (typeof (given as Readonly<Record<string, unknown>> | undefined)?.[method] !== 'function')
      throw new TypeError(`createKernel: ${what} has no method ${method}`)
}
