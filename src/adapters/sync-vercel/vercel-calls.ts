/** The calls of Vercel's API that are used here. */

import type { RestClient } from '../sync/rest-client.ts'
import { type JsonMembers, membersOf, type RestResponse, restError, safeErrorCode } from '../sync/rest-response.ts'
import { type SyncError, syncError } from '../sync/sync-error.ts'
import type { Project } from './settings.ts'
import { commentOf, type EnvironmentVariable, readCreation, readVariable, readVariablePage } from './variable.ts'

/** The maximum number of pages. A list with more pages is considered endless. */
const MAX_PAGES = 200
/**
 * The maximum number of variables with the same name. A name has one variable per environment and branch, so a longer list is considered
 * endless.
 */
const MAX_SAME_NAME = 1000

/** Error codes if another variable with the same name and an overlapping set of environments exists. */
const CONFLICTS = ['ENV_CONFLICT', 'ENV_ALREADY_EXISTS']

export interface VariableValue {
  readonly key: string
  readonly value: string
  readonly owner: string | undefined
}

export class VercelCalls {
  readonly #rest: RestClient
  readonly #project: Project
  readonly #query: { readonly teamId: string }

  constructor(rest: RestClient, project: Project) {
    this.#rest = rest
    this.#project = project
    this.#query = { teamId: project.team }
  }

  /** @returns Undefined if a conflicting variable exists. */
  async create(value: VariableValue, signal: AbortSignal): Promise<EnvironmentVariable | undefined> {
    const query = this.#query
    const body = this.#bodyOf(value)
    const answer = await this.#rest.send({ method: 'POST', path: this.#path('v10'), query, body }, signal)
    if (answer.status !== 200 && answer.status !== 201) return this.#refused(answer, value)
    const { created, failure } = readCreation(answer.body)
    if (failure && isConflict(failure)) return undefined
    if (failure) throw syncError('client', safeErrorCode(failure['code'], value.value, this.#project.token) ?? 'not_created')
    if (created?.key !== value.key) throw syncError('external', 'no_variable')
    return created
  }

  /** @returns `gone` if the variable does not exist; undefined if a conflicting variable exists. */
  async update(id: string, value: VariableValue, signal: AbortSignal): Promise<EnvironmentVariable | 'gone' | undefined> {
    const call = { method: 'PATCH', path: this.#path('v9', id), query: this.#query, body: this.#bodyOf(value) } as const
    const answer = await this.#rest.send(call, signal)
    if (answer.status === 404) return 'gone'
    if (answer.status !== 200) return this.#refused(answer, value)
    const updated = readVariable(answer.body)
    if (updated?.key !== value.key) throw syncError('external', 'no_variable')
    return updated
  }

  /** Returns whether the variable existed. */
  async remove(id: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#rest.send({ method: 'DELETE', path: this.#path('v9', id), query: this.#query }, signal)
    if (answer.status === 404) return false
    if (answer.status !== 200 && answer.status !== 204) throw this.#refusal(answer)
    return true
  }

  /** Returns all variables with a name; an empty list if the project does not exist. */
  async find(key: string, signal: AbortSignal): Promise<EnvironmentVariable[]> {
    const found: EnvironmentVariable[] = []
    let until: string | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { until, ...this.#query }
      const answer = await this.#rest.send({ method: 'GET', path: this.#path('v10'), query }, signal)
      if (answer.status === 404) return []
      if (answer.status !== 200) throw this.#refusal(answer)
      const { variables, next } = readVariablePage(answer.body)
      found.push(...variables.filter((one) => one.key === key))
      if (found.length > MAX_SAME_NAME) break
      if (next === undefined) return found
      if (next === until) break
      until = next
    }
    throw syncError('external', 'endless_list')
  }

  #path(version: string, id?: string): string {
    const variables = `/${version}/projects/${encodeURIComponent(this.#project.id)}/env`
    return id === undefined ? variables : `${variables}/${encodeURIComponent(id)}`
  }

  #bodyOf({ key, value, owner }: VariableValue): object {
    return { key, value, type: 'encrypted', target: this.#project.targets, comment: commentOf(owner) }
  }

  #refused(answer: RestResponse, value: VariableValue): undefined {
    if (!isConflict(errorOf(answer))) throw this.#refusal(answer, value)
  }

  #refusal(answer: RestResponse, { value }: Pick<VariableValue, 'value'> = { value: '' }): SyncError {
    return restError(answer, safeErrorCode(errorOf(answer)['code'], value, this.#project.token))
  }
}

const errorOf = (answer: RestResponse): JsonMembers => membersOf(membersOf(answer.body)['error'])

const isConflict = ({ code }: JsonMembers): boolean => CONFLICTS.includes(`${code}`)
