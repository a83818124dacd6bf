/** The saved progress of a migration. */
import { type CopyOutcome, idOf, type MigrationProblem } from './item.ts'

/**
 * The progress of a migration. It contains names, and no secret and no token. It is plain JSON. Use the state of a migration only for the
 * same source and target.
 */
export interface MigrationState {
  readonly version: 1
  /** For each list of items, such as `copy secret secret/`: the last name up to which all items are done. */
  readonly done: Readonly<Record<string, string>>
  readonly refused: readonly MigrationProblem[]
  readonly notes: readonly MigrationProblem[]
}

/** A place for the progress, such as a file. */
export interface MigrationStateStore {
  /** Undefined for a new migration. */
  load(): MigrationState | undefined | Promise<MigrationState | undefined>
  /** Called about every second, and when the migration ends or is interrupted. Calls do not overlap. */
  save(state: MigrationState): void | Promise<void>
}

const SAVE_INTERVAL_MS = 1000

/** Records progress, and saves it. */
export class Progress {
  readonly #store: MigrationStateStore | undefined
  readonly #done: Record<string, string>
  readonly #refused = new Map<string, MigrationProblem>()
  readonly #notes = new Map<string, MigrationProblem>()
  #savedAt = performance.now()
  #saving: Promise<void> = Promise.resolve()

  private constructor(store: MigrationStateStore | undefined, state: MigrationState | undefined) {
    this.#store = store
    this.#done = Object.assign(Object.create(null), state?.done)
    for (const problem of state?.refused ?? []) this.record('refused', problem)
    for (const problem of state?.notes ?? []) this.record('note', problem)
  }

  get refused(): readonly MigrationProblem[] {
    return sorted(this.#refused)
  }

  get notes(): readonly MigrationProblem[] {
    return sorted(this.#notes)
  }

  /** An item may be recorded again after an interruption. */
  record(kind: CopyOutcome['kind'], problem: MigrationProblem): void {
    const problems = kind === 'refused' ? this.#refused : this.#notes
    problems.set(idOf(problem), problem)
  }

  /** @throws TypeError if the stored state is not a state of this version. */
  static async load(store: MigrationStateStore | undefined): Promise<Progress> {
    const state = await store?.load()
    if (state !== undefined && !isState(state)) throw new TypeError('migrate: state.load() returned no state of this version')
    return new Progress(store, state)
  }

  /** The name up to which a list is done. */
  after(list: string): string | undefined {
    return this.#done[list]
  }

  async reached(list: string, name: string): Promise<void> {
    this.#done[list] = name
    if (performance.now() - this.#savedAt >= SAVE_INTERVAL_MS) await this.save()
  }

  async save(): Promise<void> {
    this.#savedAt = performance.now()
    const { refused, notes } = this
    const state: MigrationState = { version: 1, done: { ...this.#done }, refused, notes }
    const save = () => this.#store?.save(state)
    this.#saving = this.#saving.then(save, save)
    await this.#saving
  }
}

/** Items are handled several at a time, so their order would be accidental. */
const sorted = (problems: ReadonlyMap<string, MigrationProblem>): readonly MigrationProblem[] =>
  [...problems].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem)

function isState(state: unknown): state is MigrationState {
  if (typeof state !== 'object' || state === null) return false
  const { version, done, refused, notes } = state as Partial<MigrationState>
  return version === 1 && typeof done === 'object' && done !== null && Array.isArray(refused) && Array.isArray(notes)
}
