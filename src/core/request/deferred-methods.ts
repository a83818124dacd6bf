/** Methods whose code is loaded at the first call. */
import type { Clock } from '../base/clock.ts'
import { ownArgument } from '../exchange/own-arguments.ts'

export type Method = (...args: unknown[]) => unknown
export type Members = Readonly<Record<string, unknown>>

/** The object to whose members the methods forward. */
export interface LoadedMembers {
  /** Undefined before the code is loaded. */
  readonly known: () => Members | undefined
  /** Loads the code. */
  readonly load: () => Promise<Members>
}

/** Returns a method that returns a promise. The first call copies its arguments, loads the code, and then calls the method. */
export function deferredMethod(name: string, { known, load }: LoadedMembers, clock: Clock): Method {
  const call = (members: Members, args: unknown[]): unknown => (members[name] as Method).apply(members, args)
  return (...args) => {
    const members = known()
    if (members) return call(members, args)
    const own = ownArguments(args, clock)
    return load().then(async (late) => call(late, await own))
  }
}

/** Does the same as {@link deferredMethod} for a method that returns an async generator. */
export function deferredGenerator(name: string, { known, load }: LoadedMembers, clock: Clock): Method {
  return (...args) => {
    const members = known()
    return members ? (members[name] as Method)(...args) : generateLater(load, name, ownArguments(args, clock))
  }
}

const ownArguments = (args: readonly unknown[], clock: Clock): Promise<unknown[]> =>
  Promise.all(args.map((argument) => ownArgument(argument, clock)))

async function* generateLater(
  load: () => Promise<Members>,
  name: string,
  args: Promise<unknown[]>,
): AsyncGenerator<unknown, unknown, undefined> {
  const members = await load()
  return yield* (members[name] as Method)(...(await args)) as AsyncGenerator<unknown, unknown, undefined>
}
