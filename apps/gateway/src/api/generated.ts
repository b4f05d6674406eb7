import { resolverOf } from '../graphql/resolver-of.js';
import { controllerOf } from '../rest/controller-of.js';
import { DOMAINS } from './domains.js';

export const DomainsController = controllerOf(DOMAINS);

/** The controllers and resolvers of all operations that are declared in this folder. */
export const GENERATED_CONTROLLERS = [DomainsController];
export const GENERATED_RESOLVERS = [resolverOf(DOMAINS, DomainsController)];
