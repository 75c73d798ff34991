// Addresses of the pages, in one place.

/** Every answer of a subject. */
export const subjectPage = (slug: string): string => `/m/${slug}`;

/** One dialogue. */
export const trajectoryPage = (slug: string, run: number, scenario: string): string =>
  `/m/${slug}/r/${run}/${encodeURIComponent(scenario)}`;

/** All answers to a scenario. */
export const scenarioPage = (scenario: string): string => `/s/${encodeURIComponent(scenario)}`;

/** The scenarios of one cell of a grid beside each other. */
export const cellPage = (unit: string): string => `/cell/${unit}`;
