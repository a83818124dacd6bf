/** Typed methods that load the code of the service at the first call. */
import type { Clock } from '../core/base/clock.ts'
import { ownArgument } from '../core/exchange/own-arguments.ts'
import { METHOD_NAMES } from './method-names.ts'
import type { WatchOptions } from './operation.ts'
import type { ConfigView } from './service.ts'

type Method = (...args: unknown[]) => unknown
type Methods = Readonly<Record<string, Method>>

/** @param load Resolves with the methods. The promise settles only after the code of the service is loaded. */
export function deferredFacades(load: () => Promise<ConfigView>, clock: Clock): ConfigView {
  let loaded: ConfigView | undefined
  const facades = async (): Promise<ConfigView> => {
    loaded = await load()
    return loaded
  }
  const methodOf = (of: (all: ConfigView) => unknown, name: string): Method => {
    const find = (all: ConfigView): Method => (of(all) as Methods)[name] as Method
    if (name === 'watch')
      return (read, args, options) =>
        loaded ? find(loaded)(read, args, options) : watchLater(facades, find, [read, args, options])
    return (...args) => {
      if (loaded) return find(loaded)(...args)
      const copies = Promise.all(args.map((argument) => ownArgument(argument, clock)))
      return facades().then(async (all) => find(all)(...(await copies)))
    }
  }
  const groups = Object.entries(METHOD_NAMES).map(([group, names]) => {
    const of = (all: ConfigView) => all[group as keyof ConfigView]
    return [group, Object.fromEntries(names.map((name) => [name, methodOf(of, name)]))]
  })
  const own = (['login', 'logout'] as const).map((name) => [name, methodOf((all) => all, name)])
  return Object.fromEntries([...groups, ...own]) as ConfigView
}

async function* watchLater(
  load: () => Promise<ConfigView>,
  find: (all: ConfigView) => Method,
  [read, args, options]: readonly [unknown, unknown, unknown],
): AsyncGenerator<unknown, void, undefined> {
  const all = await load()
  if ((options as WatchOptions | undefined)?.signal?.aborted) return
  yield* find(all)(read, args, options) as AsyncIterable<unknown>
}
