/** Typed methods that load the code of the service at the first call. */
import type { Clock } from '../core/base/clock.ts'
import type { MaybePromise } from '../core/base/maybe-promise.ts'
import { Slices } from '../core/base/slices.ts'
import { snapshotJsonOrSteps } from '../core/exchange/snapshot.ts'
import { METHOD_NAMES } from './method-names.ts'
import type { WatchOptions } from './operation.ts'
import type { ConfigView } from './service.ts'

/** The maximum size in bytes of an argument that is copied. No method accepts a larger argument. */
const MAX_ARGUMENT_BYTES = 33_554_432

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
      const copies = Promise.all(args.map((argument) => copiedArgument(argument, clock)))
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

/**
 * Copies an argument, because the caller may change it after the call has returned. Returns the argument itself if it is not JSON; the
 * method then refuses it. Large arguments are copied in several steps.
 */
export function copiedArgument(argument: unknown, clock: Clock): MaybePromise<unknown> {
  if (typeof argument !== 'object' || argument === null) return argument
  try {
    return snapshotJsonOrSteps<MaybePromise<unknown>>(
      argument,
      MAX_ARGUMENT_BYTES,
      (copy) => copy,
      (steps) => new Slices(clock).drive(steps).catch(() => argument),
    )
  } catch {
    return argument
  }
}
