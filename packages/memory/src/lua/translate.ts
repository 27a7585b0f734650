/**
 * Lua 5.1 into JavaScript, one function for each function. Whatever it does not know it refuses at once: a script runs as Redis would run it, or
 * not at all.
 *
 * Functions give arrays of results. What an operator does is in `operators.ts`. Names of translated variables end with a number, so they meet none of
 * those.
 */

import {
  type CallExpression,
  type Expression,
  type FunctionDeclaration,
  type MemberExpression,
  parse,
  type Statement,
  type StringCallExpression,
  type TableCallExpression,
  type TableConstructorExpression,
} from 'luaparse';
import { given, globalAlone, ofLibrary } from './global.js';
import { globals } from './library.js';
import { noteReading } from './late-reading.js';
import { binaryOperators, operators } from './operators.js';
import { Scope } from './scope.js';
import { UnknownToLua } from './errors.js';
import type { LuaValue } from './value.js';

type Call = CallExpression | StringCallExpression | TableCallExpression;

/** A script, ready to be run with the tables that Redis gives it. */
export type Translated = (redis: LuaValue, KEYS: LuaValue, ARGV: LuaValue) => readonly LuaValue[];

/** @param source - one character for each byte @throws Error for what is no Lua 5.1, or not known here. */
export function translate(source: string): Translated {
  const { body } = parse(source, { luaVersion: '5.1', encodingMode: 'pseudo-latin1', ranges: true, comments: false });
  const code = new Translator(source).block(body, new Scope());
  const names = Object.keys(operators);
  const text = `'use strict'; return (${given.join(', ')}) => { let held; ${code} return []; };`;
  // eslint-disable-next-line typescript/no-implied-eval
  const make = new Function(...names, 'globals', text) as (...values: unknown[]) => Translated;
  return make(...Object.values(operators), globals);
}

class Translator {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  block(statements: readonly Statement[], around: Scope): string {
    const scope = new Scope(around);
    return statements.map((statement) => this.#statement(statement, scope)).join('\n');
  }

  #statement(statement: Statement, scope: Scope): string {
    switch (statement.type) {
      case 'LocalStatement': {
        // What is assigned does not see the new names yet.
        const values =
          statement.init.length === 0 ? [] : this.#assigned(statement.init, statement.variables.length, scope);
        const names = statement.variables.map(({ name }) => scope.declare(name));
        if (values.length === 0) return `let ${names.join(', ')};`;
        return names.length === 1 && values.length === 1
          ? `let ${names[0]} = ${values[0]};`
          : `let [${names.join(', ')}] = [${values.join(', ')}];`;
      }
      case 'AssignmentStatement':
        return this.#assignment(statement.variables, statement.init, scope);
      case 'CallStatement':
        return `${this.#call(statement.expression, scope)};`;
      case 'FunctionDeclaration':
        return this.#declaration(statement, scope);
      case 'IfStatement':
        return statement.clauses
          .map((clause) => {
            const body = `{ ${this.block(clause.body, scope)} }`;
            if (clause.type === 'ElseClause') return `else ${body}`;
            return `${clause.type === 'IfClause' ? '' : 'else '}if (${this.#condition(clause.condition, scope)}) ${body}`;
          })
          .join(' ');
      case 'ForNumericStatement': {
        const { variable, start, end, step, body } = statement;
        const [from, to, by] = [start, end, step].map((part) => part && this.single(part, scope));
        const inner = new Scope(scope);
        const own = inner.declare(variable.name);
        const [at, last, width] = ['at', 'last', 'width'].map((name) => inner.fresh(name));
        const limits = `let ${at} = limit(${from}, 'initial value'), ${last} = limit(${to}, 'limit'), ${width} = limit(${by ?? 1}, 'step')`;
        const more = `${width} > 0 ? ${at} <= ${last} : ${at} >= ${last}`;
        return `for (${limits}; ${more}; ${at} += ${width}) { let ${own} = ${at}; ${this.block(body, inner)} }`;
      }
      case 'ForGenericStatement': {
        const values = this.list(statement.iterators, scope);
        const inner = new Scope(scope);
        const [next, state, control] = ['next', 'state', 'control'].map((name) => inner.fresh(name));
        const names = statement.variables.map(({ name }) => inner.declare(name));
        return `for (let [${next}, ${state}, ${control}] = [${values}];;) {
          let [${names.join(', ')}] = callee(${next})(${state}, ${control});
          if (${names[0]} === undefined) break;
          ${control} = ${names[0]};
          ${this.block(statement.body, inner)} }`;
      }
      case 'DoStatement':
        return `{ ${this.block(statement.body, scope)} }`;
      case 'ReturnStatement':
        return `return [${this.list(statement.arguments, scope)}];`;
      default:
        throw new UnknownToLua(statement.type);
    }
  }

  /** So many values, each an expression. */
  #assigned(values: readonly Expression[], wanted: number, scope: Scope): string[] {
    // More names than expressions: the last one may give several.
    if (values.length < wanted) return [this.list(values, scope)];
    return values.map((value) => this.single(value, scope));
  }

  #assignment(targets: readonly Expression[], values: readonly Expression[], scope: Scope): string {
    const [target, ...others] = targets;
    if (target !== undefined && others.length === 0 && values.length === 1) {
      return this.#store(target, this.single(values[0] as Expression, scope), scope);
    }
    // Lua looks up all tables and keys before it assigns anything.
    if (targets.some(({ type }) => type !== 'Identifier'))
      throw new UnknownToLua('several assignments, one to a field');
    const all = scope.fresh('values');
    const stores = targets.map((one, index) => this.#store(one, `${all}[${index}]`, scope));
    return `const ${all} = [${this.list(values, scope)}]; ${stores.join(' ')}`;
  }

  #store(target: Expression, value: string, scope: Scope): string {
    if (target.type === 'Identifier') {
      const own = scope.find(target.name);
      if (own === undefined) throw new UnknownToLua(`a global variable: ${target.name}`);
      scope.changed(target.name);
      return `${own} = ${value};`;
    }
    if (target.type === 'MemberExpression') {
      noteReading(target.base, value, scope);
      return `assign(${this.single(target.base, scope)}, ${JSON.stringify(target.identifier.name)}, ${value});`;
    }
    if (target.type !== 'IndexExpression') throw new UnknownToLua(`an assignment to a ${target.type}`);
    const index = this.single(target.index, scope);
    noteReading(target.base, index + value, scope);
    noteReading(target.index, value, scope);
    return `assign(${this.single(target.base, scope)}, ${index}, ${value});`;
  }

  #declaration(statement: FunctionDeclaration, scope: Scope): string {
    const { identifier, isLocal } = statement;
    if (!isLocal || identifier?.type !== 'Identifier') throw new UnknownToLua('a function that is not local');
    // It may call itself.
    const own = scope.declare(identifier.name);
    return `let ${own} = ${this.#function(statement, scope)};`;
  }

  #function({ parameters, body }: FunctionDeclaration, around: Scope): string {
    const scope = new Scope(around, 'a function');
    const names = parameters.map((one) =>
      one.type === 'Identifier' ? scope.declare(one.name) : `...${scope.declare('...')}`,
    );
    return `((${names.join(', ')}) => { let held; ${this.block(body, scope)} return []; })`;
  }

  #condition(expression: Expression, scope: Scope): string {
    return `yes(${this.single(expression, scope)})`;
  }

  /** Expressions whose last one gives all that it has. */
  list(expressions: readonly Expression[], scope: Scope): string {
    return expressions
      .map((expression, index) =>
        index === expressions.length - 1 ? this.#several(expression, scope) : this.single(expression, scope),
      )
      .join(', ');
  }

  #several(expression: Expression, scope: Scope): string {
    if (isCall(expression)) {
      this.#refuseParentheses(expression);
      return `...${this.#call(expression, scope)}`;
    }
    if (expression.type === 'VarargLiteral') {
      this.#refuseParentheses(expression);
      return `...${this.#varargs(scope)}`;
    }
    return this.single(expression, scope);
  }

  /** The parser does not tell `(f())`, which is one value, from `f()`. */
  #refuseParentheses(expression: Expression): void {
    const [from] = (expression as Expression & { range: [number, number] }).range;
    if (/(?:[=,;{(]|\b(?:return|in))\s*\($/.test(this.#source.slice(0, from).trimEnd())) {
      throw new UnknownToLua('several values in parentheses of their own');
    }
  }

  #varargs(scope: Scope): string {
    const own = scope.find('...');
    if (own === undefined) throw new UnknownToLua('the arguments of a script by ...');
    return own;
  }

  single(expression: Expression, scope: Scope): string {
    switch (expression.type) {
      case 'NilLiteral':
        return 'undefined';
      case 'BooleanLiteral':
      case 'NumericLiteral':
        return `${expression.value}`;
      case 'StringLiteral':
        return JSON.stringify(expression.value);
      case 'VarargLiteral':
        return `${this.#varargs(scope)}[0]`;
      case 'Identifier':
        return scope.find(expression.name) ?? globalAlone(expression.name);
      case 'FunctionDeclaration':
        return this.#function(expression, scope);
      case 'TableConstructorExpression':
        return this.#table(expression, scope);
      case 'LogicalExpression': {
        const [left, right] = [this.single(expression.left, scope), this.single(expression.right, scope)];
        return expression.operator === 'and'
          ? `(yes(held = ${left}) ? ${right} : held)`
          : `(yes(held = ${left}) ? held : ${right})`;
      }
      case 'UnaryExpression':
        return this.#unary(expression.operator, this.single(expression.argument, scope));
      case 'BinaryExpression': {
        const [left, right] = [this.single(expression.left, scope), this.single(expression.right, scope)];
        const { operator } = expression;
        if (operator !== '..') noteReading(expression.left, right, scope);
        if (operator === '==' || operator === '~=') return `(${left} ${operator === '==' ? '===' : '!=='} ${right})`;
        const name = binaryOperators[operator];
        if (name === undefined) throw new UnknownToLua(operator);
        return `${name}(${left}, ${right})`;
      }
      case 'MemberExpression':
        return this.#member(expression, scope);
      case 'IndexExpression': {
        const [base, key] = [this.single(expression.base, scope), this.single(expression.index, scope)];
        noteReading(expression.base, key, scope);
        return `index(${base}, ${key})`;
      }
      case 'CallExpression':
      case 'StringCallExpression':
      case 'TableCallExpression':
        return `${this.#call(expression, scope)}[0]`;
    }
  }

  #member({ base, identifier: { name } }: MemberExpression, scope: Scope): string {
    const isGlobal = base.type === 'Identifier' && scope.find(base.name) === undefined;
    const known = isGlobal ? ofLibrary(base.name, name) : undefined;
    return known ?? `index(${this.single(base, scope)}, ${JSON.stringify(name)})`;
  }

  #call(call: Call, scope: Scope): string {
    if (call.base.type === 'MemberExpression' && call.base.indexer === ':')
      throw new UnknownToLua('a call of a method');
    const args =
      call.type === 'CallExpression'
        ? call.arguments
        : [call.type === 'StringCallExpression' ? call.argument : call.arguments];
    return `callee(${this.single(call.base, scope)})(${this.list(args, scope)})`;
  }

  #table({ fields }: TableConstructorExpression, scope: Scope): string {
    const isMixed = new Set(fields.map(({ type }) => type === 'TableValue')).size > 1;
    if (isMixed) throw new UnknownToLua('a table with items and fields');
    const items = fields.flatMap((field) => (field.type === 'TableValue' ? [field.value] : []));
    const named = fields.flatMap((field) => {
      if (field.type === 'TableValue') return [];
      const value = this.single(field.value, scope);
      if (field.type === 'TableKeyString') return [`[${JSON.stringify(field.key.name)}, ${value}]`];
      noteReading(field.key, value, scope);
      return [`[${this.single(field.key, scope)}, ${value}]`];
    });
    return `table([${this.list(items, scope)}], [${named.join(', ')}])`;
  }

  #unary(operator: string, argument: string): string {
    if (operator === 'not') return `!yes(${argument})`;
    if (operator === '-') return `minus(${argument})`;
    if (operator === '#') return `length(${argument})`;
    throw new UnknownToLua(operator);
  }
}

const isCall = (expression: Expression): expression is Call =>
  expression.type === 'CallExpression' ||
  expression.type === 'StringCallExpression' ||
  expression.type === 'TableCallExpression';
