/** Methods whose code is loaded at the first call. */
import type { Clock } from '../base/clock.ts'
import { ownArgument } from '../exchange/own-arguments.ts'

export type Method = (...args: unknown[]) => unknown
export type Members = Readonly<Record<string, unknown>>

/** The object to whose members the methods forward. */
export interface LoadedMembers {
  readonly clock: Clock
  /** Undefined before the code is loaded. */
  readonly known: () => Members | undefined
  /** Loads the code. */
  readonly load: () => Promise<Members>
}

/** Calls a method that returns a promise. The first call copies its arguments, loads the code, and then calls the method. */
export function callLater({ clock, known, load }: LoadedMembers, name: string, args: readonly unknown[]): unknown {
  const members = known()
  if (members) return (members[name] as Method)(...args)
  const own = ownArguments(args, clock)
  return load().then(async (late) => (late[name] as Method)(...(await own)))
}

/** Does the same as {@link callLater} for a method that returns an async generator. */
export function generateLater({ clock, known, load }: LoadedMembers, name: string, args: readonly unknown[]): unknown {
  const members = known()
  return members ? (members[name] as Method)(...args) : generateLoaded(load, name, ownArguments(args, clock))
}

const ownArguments = (args: readonly unknown[], clock: Clock): Promise<unknown[]> =>
  Promise.all(args.map((argument) => ownArgument(argument, clock)))

async function* generateLoaded(
  load: () => Promise<Members>,
  name: string,
  args: Promise<unknown[]>,
): AsyncGenerator<unknown, unknown, undefined> {
  const members = await load()
  return yield* (members[name] as Method)(...(await args)) as AsyncGenerator<unknown, unknown, undefined>
}
