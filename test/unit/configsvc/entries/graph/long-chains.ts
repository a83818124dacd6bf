/** Unrealistic chains of entries: very long, very wide or circular. */
import type { AnyEntry } from '../../../../fixtures/entry-set.ts'

export const HTTP: AnyEntry = { Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }

export const chainOf = (length: number, entry: (name: string, next: string, i: number) => AnyEntry): AnyEntry[] =>
  Array.from({ length }, (_, i) => entry(`s${i}`, `s${i + 1}`, i))

export const split = (Name: string, ...to: object[]): AnyEntry => ({
  Kind: 'service-splitter',
  Name,
  Splits: to.map((target) => ({ Weight: 100 / to.length, ...target })),
})

export const redirects = (length: number): AnyEntry[] =>
  chainOf(length, (Name, next) => ({ Kind: 'service-resolver', Name, Redirect: { Service: next } }))

/** Redirects of which the last leads to the first. */
export const circle = (length: number): AnyEntry[] =>
  chainOf(length, (Name, next, i) => ({
    Kind: 'service-resolver',
    Name,
    Redirect: { Service: i === length - 1 ? 's0' : next },
  }))

export const splitters = (length: number): AnyEntry[] => [HTTP, ...chainOf(length, (Name, Service) => split(Name, { Service }))]

export const routes = (count: number): AnyEntry[] => [
  HTTP,
  {
    Kind: 'service-router',
    Name: 'web',
    Routes: Array.from({ length: count }, (_, i) => ({ Destination: { Service: `s${i}` } })),
  },
]

/** The redirect that leads to a service. The index of an `EntrySet` would read all entries, which would be counted, too. */
export const neighbours = {
  referring: (_to: string, service: string) => {
    const name = `s${Number(service.slice(1)) - 1}`
    return name === 's-1' ? [] : [{ kind: 'service-resolver', name }]
  },
  namesOfKind: () => [],
}

/** The last of 3,000 redirects is new. */
export const CHANGE_OF_REDIRECTS = [{ kind: 'service-resolver', name: 's2999', before: undefined }] as const

export const CHANGE_OF_ROUTES = [{ kind: 'service-router', name: 'web', before: undefined }] as const
