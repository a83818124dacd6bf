/**
 * Gateways, routes and the entries that they depend on, in a service whose ticks the test runs.
 */
import type { OwnConfigService } from '../../../src/config-service.ts'
import type { ConfigEntry, ConfigEntryInput } from '../../../src/configsvc/entries/operations/fields.ts'

export const HTTP: ConfigEntryInput = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }

export const speaks = (Name: string, Protocol: string): ConfigEntryInput => ({ Kind: 'service-defaults', Name, Protocol })

/** Listeners `l0`, `l1` and so on, with protocol http by default. */
export const gateway = (Name: string, ...listeners: readonly object[]): ConfigEntryInput => ({
  Kind: 'api-gateway',
  Name,
  Listeners: listeners.map((listener, i) => ({ Name: `l${i}`, Port: 8000 + i, Protocol: 'http', ...listener })),
})

export const withCertificate = (Name: string, Kind = 'file-system-certificate') => ({ TLS: { Certificates: [{ Kind, Name }] } })

export const certificate = (Name: string): ConfigEntryInput => ({
  Kind: 'file-system-certificate',
  Name,
  Certificate: '/certificate.pem',
  PrivateKey: '/key.pem',
})

export interface RouteMembers {
  readonly to?: readonly string[]
  /** Names of gateways; the name of a listener follows after a slash. */
  readonly parents?: readonly string[]
  readonly hosts?: readonly string[]
}

const parentOf = (parent: string) => {
  const [Name, SectionName] = parent.split('/')
  return { Name, ...(SectionName && { SectionName }) }
}

export const httpRoute = (Name: string, { to = ['web'], parents = ['gw'], hosts }: RouteMembers = {}): ConfigEntryInput => ({
  Kind: 'http-route',
  Name,
  Parents: parents.map(parentOf),
  ...(hosts && { Hostnames: hosts }),
  Rules: [{ Services: to.map((service) => ({ Name: service })) }],
})

export const tcpRoute = (Name: string, { to = ['db'], parents = ['gw'] }: RouteMembers = {}): ConfigEntryInput => ({
  Kind: 'tcp-route',
  Name,
  Parents: parents.map(parentOf),
  Services: to.map((service) => ({ Name: service })),
})

export interface GatewayWorld {
  /** Writes the entries one after another. */
  put(...entries: readonly ConfigEntryInput[]): Promise<void>
  /** Writes the entries in one commit. */
  together(...entries: readonly ConfigEntryInput[]): Promise<void>
  remove(Kind: ConfigEntryInput['Kind'], Name: string): Promise<void>
  /** Runs ticks until nothing is due. @returns How many items ran. */
  settle(): Promise<number>
  read(Kind: ConfigEntryInput['Kind'], Name: string): Promise<ConfigEntry | undefined>
  /** The type, status, reason and resource of each condition. */
  says(Kind: ConfigEntryInput['Kind'], Name: string): Promise<readonly string[] | undefined>
  /** The routes that are bound to each listener; undefined: there is no bound-api-gateway entry. */
  bound(gateway: string): Promise<Readonly<Record<string, readonly string[]>> | undefined>
}

interface Condition {
  readonly Type: string
  readonly Status: string
  readonly Reason: string
  readonly Resource: { readonly Name: string; readonly SectionName?: string }
}

const brief = ({ Type, Status, Reason, Resource: { Name, SectionName } }: Condition): string =>
  `${Type} ${Status} ${Reason} ${SectionName ? `${Name}/${SectionName}` : Name}`

export function gatewayWorld(service: Pick<OwnConfigService, 'entries' | 'tick'>): GatewayWorld {
  const { entries } = service
  const read: GatewayWorld['read'] = (Kind, Name) =>
    entries.get({ Kind, Name }).catch((error: { status?: number }) => {
      if (error.status === 404) return undefined
      throw error
    })
  return {
    read,
    async put(...all) {
      for (const entry of all) await entries.apply(entry)
    },
    async together(...all) {
      await entries.apply(all)
    },
    async remove(Kind, Name) {
      await entries.delete({ Kind, Name })
    },
    async settle() {
      for (let ran = 0; ; ) {
        const { done, failed } = await service.tick()
        if (failed[0]) throw failed[0].error
        if (done === 0) return ran
        ran += done
      }
    },
    async says(Kind, Name) {
      const entry = await read(Kind, Name)
      const status = entry?.['Status'] as { readonly Conditions: readonly Condition[] } | undefined
      return status?.Conditions.map(brief)
    },
    async bound(name) {
      const entry = await read('bound-api-gateway', name)
      if (!entry) return undefined
      const listeners = entry['Listeners'] as readonly { readonly Name: string; readonly Routes?: readonly { Name: string }[] }[]
      return Object.fromEntries(listeners.map(({ Name, Routes = [] }) => [Name, Routes.map((route) => route.Name)]))
    },
  }
}

/** A gateway and this many routes to it, before any reconciliation. */
export async function manyRoutes(service: Pick<OwnConfigService, 'entries' | 'tick'>, count: number): Promise<void> {
  const { put, together } = gatewayWorld(service)
  await put(HTTP, gateway('gw', {}))
  const routes = Array.from({ length: count }, (_, i) => httpRoute(`r${i}`))
  for (let i = 0; i < count; i += 25) await together(...routes.slice(i, i + 25))
}
