import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "public", "eslint.config.js", "src/schema.ts"] },
  tseslint.configs.strictTypeChecked,
  hooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "Model text becomes nodes." },
        { selector: "MemberExpression[property.name=/^(innerHTML|outerHTML)$/]", message: "Model text becomes nodes." },
      ],
    },
  },
);
