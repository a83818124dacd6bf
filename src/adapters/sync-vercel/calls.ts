/**
 * The calls of the store's API that are used.
 */
import { codeOf, type Members, membersOf, type RestAnswer, refusalOf } from '../sync/answer.ts'
import { failed, type SyncError } from '../sync/failure.ts'
import type { Rest } from '../sync/rest.ts'
import type { Project } from './settings.ts'
import { commentOf, creationOf, pageOf, type Variable, variableOf } from './variable.ts'

/** A list of so many pages has no end. */
const MOST_PAGES = 200
/** A name has a variable for each environment and branch; one that has more is of a list without an end. */
const MAX_SAME_NAME = 1000

/** Another variable of that name is there, of some of the same environments. */
const CONFLICTS = ['ENV_CONFLICT', 'ENV_ALREADY_EXISTS']

export interface Value {
  readonly key: string
  readonly value: string
  readonly owner: string | undefined
}

export class Calls {
  readonly #rest: Rest
  readonly #project: Project
  readonly #query: { readonly teamId: string }

  constructor(rest: Rest, project: Project) {
    this.#rest = rest
    this.#project = project
    this.#query = { teamId: project.team }
  }

  /** @returns Undefined where another variable is in the way. */
  async create(value: Value, signal: AbortSignal): Promise<Variable | undefined> {
    const query = this.#query
    const body = this.#bodyOf(value)
    const answer = await this.#rest.ask({ method: 'POST', path: this.#path('v10'), query, body }, signal)
    if (answer.status !== 200 && answer.status !== 201) return this.#refused(answer, value)
    const { created, failure } = creationOf(answer.body)
    if (failure && isConflict(failure)) return undefined
    if (failure) throw failed('client', codeOf(failure['code'], value.value, this.#project.token) ?? 'not_created')
    if (created?.key !== value.key) throw failed('external', 'no_variable')
    return created
  }

  /** @returns `gone` where nothing has the id; undefined where another variable is in the way. */
  async update(id: string, value: Value, signal: AbortSignal): Promise<Variable | 'gone' | undefined> {
    const call = { method: 'PATCH', path: this.#path('v9', id), query: this.#query, body: this.#bodyOf(value) } as const
    const answer = await this.#rest.ask(call, signal)
    if (answer.status === 404) return 'gone'
    if (answer.status !== 200) return this.#refused(answer, value)
    const updated = variableOf(answer.body)
    if (updated?.key !== value.key) throw failed('external', 'no_variable')
    return updated
  }

  /** Whether it was there. */
  async remove(id: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#rest.ask({ method: 'DELETE', path: this.#path('v9', id), query: this.#query }, signal)
    if (answer.status === 404) return false
    if (answer.status !== 200 && answer.status !== 204) throw this.#refusal(answer)
    return true
  }

  /** All of a name; none where the project is gone. */
  async find(key: string, signal: AbortSignal): Promise<Variable[]> {
    const found: Variable[] = []
    let until: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { until, ...this.#query }
      const answer = await this.#rest.ask({ method: 'GET', path: this.#path('v10'), query }, signal)
      if (answer.status === 404) return []
      if (answer.status !== 200) throw this.#refusal(answer)
      const { variables, next } = pageOf(answer.body)
      found.push(...variables.filter((one) => one.key === key))
      if (found.length > MAX_SAME_NAME) break
      if (next === undefined) return found
      if (next === until) break
      until = next
    }
    throw failed('external', 'endless_list')
  }

  #path(version: string, id?: string): string {
    const variables = `/${version}/projects/${encodeURIComponent(this.#project.id)}/env`
    return id === undefined ? variables : `${variables}/${encodeURIComponent(id)}`
  }

  #bodyOf({ key, value, owner }: Value): object {
    return { key, value, type: 'encrypted', target: this.#project.targets, comment: commentOf(owner) }
  }

  #refused(answer: RestAnswer, value: Value): undefined {
    if (!isConflict(errorOf(answer))) throw this.#refusal(answer, value)
  }

  #refusal(answer: RestAnswer, { value }: Pick<Value, 'value'> = { value: '' }): SyncError {
    return refusalOf(answer, codeOf(errorOf(answer)['code'], value, this.#project.token))
  }
}

const errorOf = (answer: RestAnswer): Members => membersOf(membersOf(answer.body)['error'])

const isConflict = ({ code }: Members): boolean => CONFLICTS.includes(`${code}`)
